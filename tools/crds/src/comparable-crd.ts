/**
 * A CRD without the parts that two generators may write differently: descriptions, and annotations and labels of the metadata. Everything
 * else stays, so that `differencesBetween` finds every other difference. A property named `description` is a property and stays too.
 */
export function comparableCrd(crd: unknown): unknown {
  const bare = withoutDescriptions(crd, false);
  if (!isMap(bare) || !isMap(bare.metadata)) return bare;
  const { annotations: _annotations, labels: _labels, ...metadata } = bare.metadata;
  return { ...bare, metadata };
}

function withoutDescriptions(value: unknown, keysAreNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutDescriptions(item, false));
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => keysAreNames || key !== 'description' || typeof inner !== 'string',
  );
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, withoutDescriptions(inner, key === 'properties' && !keysAreNames)]),
  );
}

/** All description texts of a CRD, in their order. */
export function descriptionsOf(crd: unknown): string[] {
  if (Array.isArray(crd)) return crd.flatMap(descriptionsOf);
  if (!isMap(crd)) return [];
  return Object.entries(crd).flatMap(([key, inner]) =>
    key === 'description' && typeof inner === 'string' ? [inner] : descriptionsOf(inner),
  );
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
