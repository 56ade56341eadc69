/**
 * Names for the scalars of the API, so that a field says what its string or number means. The CRD generator reads them:
 * each alias has one OpenAPI form, and a bare `number` is refused.
 */

/** RFC 3339 in UTC with whole seconds, as metav1.Time prints it: `2026-11-21T01:20:00Z`. */
export type Timestamp = string;

/** A Go duration: `10m0s`, `720h`, `1h30m`. */
export type Duration = string;

/** Standard base64 of bytes. */
export type Base64 = string;

/** An integer without a declared width. */
export type Integer = number;

/** A 64-bit integer. Read as a JavaScript number it is exact up to 2^53 - 1 (8 PiB when it counts bytes). */
export type Int64 = number;

/** Any JSON object; every field is kept and none is checked. */
export type RawObject = Record<string, unknown>;
