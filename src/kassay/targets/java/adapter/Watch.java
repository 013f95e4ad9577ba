package kassay;

import java.util.Optional;

/**
 * Says on standard error what the one working thread is busy with when it takes too long or ends the process.
 *
 * <p>The process that asks ends this one when its own limit is reached; what is said shortly before then stands in its
 * verdict. Ends the process when the one that asked is gone, so that no hanging assignor outlives it.
 */
final class Watch {
    private static final long PAUSE_MS = 50;

    private final Thread worker;
    private final long limitNs;
    private volatile long since;

    private Watch(Thread worker, double limitSeconds) {
        this.worker = worker;
        this.limitNs = (long) (limitSeconds * 1e9);
    }

    /** Starts to watch the calling thread. */
    static Watch start(double limitSeconds) {
        Watch watch = new Watch(Thread.currentThread(), limitSeconds);
        Thread watching = new Thread(watch::run, "kassay-watch");
        watching.setDaemon(true);
        watching.start();
        Runtime.getRuntime().addShutdownHook(new Thread(watch::ending));
        return watch;
    }

    /** Notes that the assignor begins. */
    void begins() {
        since = System.nanoTime() | 1;
    }

    /** Notes that the assignor has ended. */
    void ended() {
        since = 0;
    }

    private void run() {
        long spoken = 0;
        Optional<ProcessHandle> parent = ProcessHandle.current().parent();
        while (parent.equals(ProcessHandle.current().parent())) {
            long begun = since;
            if (begun != 0 && begun != spoken && System.nanoTime() - begun > limitNs) {
                spoken = begun;
                say("busy");
            }
            try {
                Thread.sleep(PAUSE_MS);
            } catch (InterruptedException stopped) {
                return;
            }
        }
        Runtime.getRuntime().halt(1);
    }

    private void ending() {
        if (since != 0) say("ended");
    }

    private void say(String what) {
        System.err.println(what + " [at " + Thrown.stack(worker.getStackTrace()) + "]");
    }
}
