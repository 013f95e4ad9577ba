package kassay;

import java.util.Map;
import java.util.function.Supplier;

/** Connect's assignors, in one round: a fresh instance each time, which remembers what the cluster tells. */
final class TimedConnect {
    private TimedConnect() {}

    static final class Eager implements Timing.Timed {
        private final EagerWorkerAssignor assignor;
        private ConnectCluster cluster;

        Eager(Class<?> found) throws ReflectiveOperationException {
            assignor = new EagerWorkerAssignor(found);
        }

        @Override
        public void take(Map<?, ?> json) {
            cluster = new ConnectCluster(json);
        }

        @Override
        public Supplier<Object> ready() {
            return assignor.ready(cluster, assignor.fresh());
        }

        @Override
        public Object written(Object given) {
            return EagerWorkerAssignor.written(cluster, given);
        }
    }

    static final class Incremental implements Timing.Timed {
        private final IncrementalWorkerAssignor assignor;
        private ConnectCluster cluster;
        private Object last;

        Incremental(Class<?> found) throws ReflectiveOperationException {
            assignor = new IncrementalWorkerAssignor(found, false);
        }

        @Override
        public void take(Map<?, ?> json) {
            cluster = new ConnectCluster(json);
        }

        @Override
        public Supplier<Object> ready() {
            last = assignor.remembering(cluster);
            return assignor.ready(cluster, last);
        }

        @Override
        public Object written(Object given) {
            return IncrementalWorkerAssignor.written(cluster, last, given);
        }
    }
}
