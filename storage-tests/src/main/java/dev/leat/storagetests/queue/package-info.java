/** What the contract says about queues: options, counts, tenants, operators, dead letters and housekeeping. */
package dev.leat.storagetests.queue;
