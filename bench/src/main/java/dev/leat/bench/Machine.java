package dev.leat.bench;

import java.lang.management.ManagementFactory;
import java.util.Locale;

/** What the figures were measured on. */
public record Machine(int cores, double memoryGib, double heapGib, String jvm, String system, double load) {

    public static Machine here() {
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        double gib = 1 << 30;
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                os.getTotalMemorySize() / gib,
                Runtime.getRuntime().maxMemory() / gib,
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                os.getSystemLoadAverage());
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d cores, %.1f GiB (heap %.1f GiB), %s, %s, load %.1f before the start",
                cores,
                memoryGib,
                heapGib,
                jvm,
                system,
                load);
    }
}
