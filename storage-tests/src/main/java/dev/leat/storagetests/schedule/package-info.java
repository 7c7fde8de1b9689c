/** What the contract says about schedules. */
package dev.leat.storagetests.schedule;
