/** What the contract says about topics: subscriptions, publications and replays. */
package dev.leat.storagetests.topic;
