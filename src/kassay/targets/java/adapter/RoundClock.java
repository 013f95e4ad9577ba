package kassay;

import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;

/** A clock that shows the time of the round, in milliseconds, and stands still meanwhile. */
final class RoundClock implements Time {
    long now;

    @Override
    public long milliseconds() {
        return now;
    }

    @Override
    public long nanoseconds() {
        return now * 1_000_000;
    }

    @Override
    public void sleep(long milliseconds) {
        throw new UnsupportedOperationException("an assignor does not wait");
    }

    @Override
    public void waitObject(Object object, Supplier<Boolean> condition, long deadline) {
        throw new UnsupportedOperationException("an assignor does not wait");
    }
}
