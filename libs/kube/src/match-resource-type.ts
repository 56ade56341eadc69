import type { DiscoveredType, ResourceQuery } from './discovery.ts';

type Test = (type: DiscoveredType) => boolean;

/**
 * The best match, or undefined. Types come in the server's order of preference, so the first of several groups wins
 * (`events` is the core one); the exact kind goes before plural, singular and short names in any case.
 */
export function matchResourceType(types: readonly DiscoveredType[], query: ResourceQuery): DiscoveredType | undefined {
  for (const test of testsFor(query)) {
    const matches = types.filter(test);
    const found = matches.find((type) => type.preferred) ?? matches[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

function testsFor(query: ResourceQuery): Test[] {
  if (typeof query !== 'string') {
    const { group, version, kind } = query;
    return [
      (type) => type.group === group && type.kind === kind && (version === undefined || type.version === version),
    ];
  }
  const slashed = query.split('/');
  if (slashed.length > 1) return bySlashes(slashed);
  const [name = '', ...rest] = query.split('.');
  const plain = named(query);
  if (rest.length === 0) return plain;
  // `deployments.apps`, or with a version between: `deployments.v1.apps`; groups have dots of their own.
  const [version = '', ...group] = rest;
  return [
    ...both(named(name), (type) => type.group === rest.join('.')),
    ...both(named(name), (type) => type.version === version && type.group === group.join('.')),
  ];
}

/** `v1/Pod` or `velero.io/v1/Backup`. */
function bySlashes(parts: readonly string[]): Test[] {
  const [group, version, name] = parts.length === 2 ? ['', ...parts] : parts;
  return both(named(name ?? ''), (type) => type.group === group && type.version === version);
}

function named(name: string): Test[] {
  const lower = name.toLowerCase();
  return [
    (type) => type.kind === name,
    (type) => type.resource === lower,
    (type) => type.singular === lower || type.kind.toLowerCase() === lower,
    (type) => type.shortNames.includes(lower),
  ];
}

const both = (tests: readonly Test[], also: Test): Test[] => tests.map((test) => (type) => test(type) && also(type));
