/** What the contract says about one task: its put, its take, its settle, its times and its history. */
package dev.leat.storagetests.task;
