/** What the contract says about sessions and their leases. */
package dev.leat.storagetests.session;
