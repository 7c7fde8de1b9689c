package dev.leat.bench;

import dev.leat.SettleResult;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Tasks per second through the memory storage: put, take and ack of each. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class MemoryStorageJmh {
    private StorageCycle cycle;

    @Setup
    public void open() {
        cycle = new StorageCycle();
    }

    @TearDown
    public void close() {
        cycle.close();
    }

    @Benchmark
    public List<SettleResult> oneByOne() {
        return cycle.once(1);
    }

    @Benchmark
    @OperationsPerInvocation(Work.BATCH)
    public List<SettleResult> batchesOf100() {
        return cycle.once(Work.BATCH);
    }
}
