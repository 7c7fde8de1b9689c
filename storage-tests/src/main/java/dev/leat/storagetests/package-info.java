/**
 * The contract suite that every storage passes. Extend {@link dev.leat.storagetests.StorageContract} with a fixture for
 * your storage; every test must pass. The packages below hold the contracts by subject; the name of each test is a rule.
 */
package dev.leat.storagetests;
