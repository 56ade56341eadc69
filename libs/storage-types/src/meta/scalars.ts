/**
 * Names for scalars that only these kinds have. The CRD generator reads them like those of api-types: each alias has one OpenAPI form.
 */

/** A 64-bit integer in decimal as a JSON string: `"10737418240"`. Sizes in the specs of Volume, Engine and Replica are written so. */
export type Int64Text = string;

/** An integer of 32 bits. */
export type Int32 = number;

/** A moment in RFC 3339 that the API server does not check; the empty string says never. */
export type TimeText = string;
