/** By name of the setting: what is wrong with a value whose form options and range cannot describe; undefined when it is valid. */
export const settingSyntax: Readonly<Record<string, (value: string) => string | undefined>> = {
  'manager-url': urlProblem,
  'orphan-resource-auto-deletion': itemsProblem,
  'system-managed-components-node-selector': nodeSelectorProblem,
  'system-managed-csi-components-resource-limits': objectProblem,
  'taint-toleration': tolerationsProblem,
};

const orphanItems = ['replica-data', 'instance'];
const taintEffects = ['', 'NoExecute', 'NoSchedule', 'PreferNoSchedule'];

const partsOf = (list: string): string[] =>
  list
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function itemsProblem(value: string): string | undefined {
  const wrong = partsOf(value).find((item) => !orphanItems.includes(item));
  return wrong === undefined ? undefined : `${wrong} is not one of ${orphanItems.join(', ')}`;
}

/** `key=value:effect`, `key:effect`, `:`, where any part may be empty. */
function tolerationsProblem(value: string): string | undefined {
  for (const part of partsOf(value)) {
    const [, effect, more] = part.split(':');
    if (effect === undefined || more !== undefined) return `invalid toleration ${part}: it is not key=value:effect`;
    if (!taintEffects.includes(effect.trim())) return `invalid effect: ${effect.trim()} of toleration ${part}`;
  }
  return undefined;
}

function nodeSelectorProblem(value: string): string | undefined {
  const wrong = partsOf(value).find((part) => !/^[^\s:]+:[^\s:]*$/.test(part));
  return wrong === undefined ? undefined : `invalid node selector ${wrong}: it is not key:value`;
}

/** A URL must have scheme, host and port only. */
function urlProblem(value: string): string | undefined {
  if (value === '') return undefined;
  if (!URL.canParse(value)) return `${value} is not a URL`;
  const { protocol, pathname, search, hash, username, password } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') return 'its scheme must be http or https';
  const plain =
    pathname === '/' && !value.endsWith('/') && search === '' && hash === '' && `${username}${password}` === '';
  return plain ? undefined : 'it must be a scheme, a host and perhaps a port';
}

function objectProblem(value: string): string | undefined {
  if (value === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? undefined
      : 'it is not a JSON object';
  } catch {
    return 'it is not a JSON object';
  }
}
