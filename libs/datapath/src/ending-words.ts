/**
 * A mover that did not complete ends its last words with one of these, both in the termination message and in its
 * Data-Path-Failed Event, so that who reads them can tell a wish or a disturbance from a failure of the data.
 */

/** It was asked to end by `spec.cancel`. Velero's words (data-movement.md section 7). */
export const canceledSuffix = 'data path is canceled';

/**
 * It, or its engine, was ended from outside: SIGTERM, SIGINT, or an engine killed by a signal. The data is not to blame,
 * so the same data path may be tried again. Lateen's own words; to Velero it is a failure like any other.
 */
export const interruptedSuffix = 'data path is interrupted';
