/** What the contract says about groups: their start, their end, groups in groups, and dependencies between tasks. */
package dev.leat.storagetests.group;
