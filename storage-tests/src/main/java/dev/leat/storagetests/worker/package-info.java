/** What the contract says about workers and handlers, in real time. */
package dev.leat.storagetests.worker;
