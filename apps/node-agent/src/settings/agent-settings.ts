import { AppError } from '@lateen/errors';
import { type AskedExposure, exposureAt, exposureKeys } from './exposure.ts';
import { type LoadConcurrency, loadConcurrencyAt } from './load-concurrency.ts';
import { isObject, remarkUnknown } from './settings-value.ts';

/** The settings of `--node-agent-configmap` for this node (api.md section 17.1). */
export interface AgentSettings extends LoadConcurrency {
  exposure: AskedExposure;
  /** Settings that were ignored, and why; for the log. */
  remarks: readonly string[];
}

/**
 * Reads the ConfigMap's one data key. An invalid setting is ignored with a remark that names it, and everything else applies: a
 * mistake in one setting does not prevent the start of the agent.
 * @throws AGENT_SETTINGS when there is not exactly one data key, or it is not a JSON object
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
  const remarks: string[] = [];
  const remark = (text: string) => void remarks.push(text);
  remarkUnknown('', settings, ['loadConcurrency', ...exposureKeys], remark);
  return {
    ...loadConcurrencyAt(settings.loadConcurrency, nodeLabels, remark),
    exposure: exposureAt(settings, remark),
    remarks,
  };
}

function parseObject(name: string, key: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(name, `has no JSON under its key "${key}"`, cause);
  }
  if (isObject(value)) return value;
  throw invalid(name, `has no JSON object under its key "${key}"`);
}

function invalid(name: string, what: string, cause?: unknown): AppError {
  return new AppError('AGENT_SETTINGS', `ConfigMap ${name} ${what}`, {
    ...(cause === undefined ? {} : { cause }),
    nextStep: 'Give it one key with a JSON object, or start without --node-agent-configmap.',
  });
}
