/**
 * The storage contract in executable form. Extend {@link dev.leat.testkit.contract.StorageContract} with a fixture for
 * your storage; every test must pass. One class per topic; the names of the tests are the rules.
 */
package dev.leat.testkit.contract;
