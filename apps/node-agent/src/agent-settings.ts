import type { LabelSelector, ResourceRequirements } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { quantityValue } from './quantity.ts';

/** What `--node-agent-configmap` sets for this node (api.md section 17.1). */
export interface AgentSettings {
  /** Data paths at the same time on this node; undefined when the config map does not say. */
  concurrency: number | undefined;
  podResources: ResourceRequirements | undefined;
  /** What was set and does not count, and why; for the log. */
  remarks: readonly string[];
}

const known: readonly string[] = ['loadConcurrency', 'podResources'];

/**
 * Reads the config map's one data key. Settings that this version does not know are remarked on and left out; so are
 * invalid values, as the reference does it: a mistake in one of them does not keep the agent from starting.
 * @throws AGENT_SETTINGS when there is not exactly one data key, or it is no JSON object
 */
export function agentSettings(
  name: string,
  data: Readonly<Record<string, string>> | undefined,
  nodeLabels: Readonly<Record<string, string>>,
): AgentSettings {
  const keys = Object.keys(data ?? {});
  const [key] = keys;
  if (key === undefined || keys.length > 1) throw invalid(name, `has ${keys.length} data keys instead of one`);
  const settings = parseObject(name, key, data?.[key] ?? '');
  const remarks = Object.keys(settings)
    .filter((each) => !known.includes(each))
    .map((each) => `"${each}" is not supported by this version and has no effect`);
  const podResources = resourcesOf(settings.podResources, remarks);
  return { concurrency: concurrencyOf(settings.loadConcurrency, nodeLabels, remarks), podResources, remarks };
}

function parseObject(name: string, key: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw invalid(name, `has no JSON under its key "${key}"`, cause);
  }
  throw invalid(name, `has no JSON object under its key "${key}"`);
}

/** The least number of the rules that match this node, else the global one (data-movement.md section 8). */
function concurrencyOf(
  value: unknown,
  nodeLabels: Readonly<Record<string, string>>,
  remarks: string[],
): number | undefined {
  if (!isObject(value)) return undefined;
  const { globalConfig, perNodeConfig, prepareQueueLength } = value;
  if (prepareQueueLength !== undefined) remarks.push('"prepareQueueLength" is not supported by this version');
  const rules = (Array.isArray(perNodeConfig) ? perNodeConfig : []).filter(isObject);
  const numbers = rules
    .filter((rule) => selects(rule.nodeSelector, nodeLabels))
    .map((rule) => positive(rule.number, remarks));
  const least = Math.min(...numbers.filter((number) => number !== undefined));
  return Number.isFinite(least) ? least : positive(globalConfig, remarks);
}

function positive(value: unknown, remarks: string[]): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && (value as number) > 0) return value as number;
  remarks.push(`a concurrency of ${JSON.stringify(value)} is ignored: it must be a whole number above zero`);
  return undefined;
}

function selects(selector: unknown, nodeLabels: Readonly<Record<string, string>>): boolean {
  if (!isObject(selector)) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector as LabelSelector;
  const byLabels = Object.entries(matchLabels).every(([key, value]) => nodeLabels[key] === value);
  return (
    byLabels &&
    matchExpressions.every((requirement) => {
      const value = nodeLabels[requirement.key];
      switch (requirement.operator) {
        case 'In':
          return value !== undefined && (requirement.values ?? []).includes(value);
        case 'NotIn':
          return value === undefined || !(requirement.values ?? []).includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return false;
      }
    })
  );
}

/** One invalid quantity, or a request above its limit, drops them all (design "Resource Control"). */
function resourcesOf(value: unknown, remarks: string[]): ResourceRequirements | undefined {
  if (!isObject(value)) return undefined;
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const [resource, field] of [
    ['cpu', 'cpu'],
    ['memory', 'memory'],
    ['ephemeral-storage', 'ephemeralStorage'],
  ] as const) {
    const [request, limit] = [value[`${field}Request`], value[`${field}Limit`]].map((each) => each ?? '');
    for (const [quantity, into] of [
      [request, requests],
      [limit, limits],
    ] as const) {
      if (quantity === '' || quantity === '0') continue;
      if (typeof quantity !== 'string' || quantityValue(quantity) === undefined) {
        remarks.push(`podResources is ignored: ${field} ${JSON.stringify(quantity)} is not a quantity`);
        return undefined;
      }
      into[resource] = quantity;
    }
    const [asked, most] = [requests[resource], limits[resource]].map((each) => quantityValue(each ?? ''));
    if (asked !== undefined && most !== undefined && asked > most) {
      remarks.push(`podResources is ignored: ${field} requests more than its limit`);
      return undefined;
    }
  }
  const resources = {
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
  return Object.keys(resources).length === 0 ? undefined : resources;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function invalid(name: string, what: string, cause?: unknown): AppError {
  return new AppError('AGENT_SETTINGS', `ConfigMap ${name} ${what}`, {
    ...(cause === undefined ? {} : { cause }),
    nextStep: 'Give it one key with a JSON object, or start without --node-agent-configmap.',
  });
}
