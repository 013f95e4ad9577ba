package kassay;

import java.util.function.Supplier;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.utils.Time;

/**
 * A clock that is told; who sleeps is woken up and has to call again later.
 *
 * <p>The loop of the thread that sends heartbeats is run in the caller's thread. It ends by waiting, so it is interrupted whenever it asks for
 * the time.
 */
final class Clock implements Time {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    long now;
    long asleepUntil;
    boolean beats;

    @Override
    public long milliseconds() {
        if (beats && STACK.getCallerClass().getName().endsWith("HeartbeatThread")) Thread.currentThread().interrupt();
        return now;
    }

    @Override
    public long hiResClockMs() {
        return now;
    }

    @Override
    public long nanoseconds() {
        return now * 1_000_000;
    }

    @Override
    public void sleep(long ms) {
        asleepUntil = now + ms;
        throw new WakeupException();
    }

    @Override
    public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMs) {
        throw new UnsupportedOperationException();
    }
}
