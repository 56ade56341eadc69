import type { Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isJsonObject, parseExact, stringify } from '@lateen/kube';
import { nestsDeeper } from '@lateen/object-store';
import { pluginLimitsDefault } from '../limits.ts';
import { keepUnchanged } from './keep-unchanged.ts';

/** An object as it is sent: JSON with its numbers as they were written. */
export const jsonBytes = (value: unknown): Buffer => Buffer.from(stringify(value));

/** The size of everything large in a request. */
export const bytesOf = (request: object): number =>
  Object.values(request).reduce((bytes, field) => bytes + (Buffer.isBuffer(field) ? field.length : 0), 0);

const known = new WeakMap<object, Buffer>();

/** The same for an object that is sent with every item of a run. It must not be changed. */
export function runBytes(run: object): Buffer {
  const before = known.get(run);
  if (before !== undefined) return before;
  const bytes = jsonBytes(run);
  known.set(run, bytes);
  return bytes;
}

/**
 * The item in a plugin's answer, based on the one that it got. Unchanged fields keep their form, because Go rewrites numbers. The same object when
 * nothing has changed, or when the answer has no item, which means no change.
 * @throws PLUGIN_BAD_ANSWER
 */
export function answeredItem(bytes: Buffer, given: Unstructured, plugin: string): Unstructured {
  if (bytes.length === 0) return given;
  return keepUnchanged(given, objectIn(bytes, plugin)) as Unstructured;
}

function objectIn(bytes: Buffer, plugin: string): Unstructured {
  const text = bytes.toString('utf8');
  const { replyLevelsMax } = pluginLimitsDefault;
  if (nestsDeeper(text, 'json', replyLevelsMax))
    throw badAnswer(plugin, `is nested more than ${replyLevelsMax} levels deep`);
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (cause) {
    throw badAnswer(plugin, 'is not JSON', cause);
  }
  if (!isJsonObject(value)) throw badAnswer(plugin, 'is not an object');
  const missing = ['apiVersion', 'kind'].find((field) => typeof value[field] !== 'string');
  if (missing !== undefined) throw badAnswer(plugin, `has no ${missing}`);
  if (!isJsonObject(value.metadata)) throw badAnswer(plugin, 'has no metadata');
  return value as Unstructured;
}

const badAnswer = (plugin: string, wrong: string, cause?: unknown): AppError =>
  new AppError('PLUGIN_BAD_ANSWER', `the item that plugin ${plugin} answered ${wrong}`, { cause });
