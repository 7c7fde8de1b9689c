/** What the contract says about waiting and coordination: waiting takes and callers, notices, locks and leaders. */
package dev.leat.storagetests.waiting;
