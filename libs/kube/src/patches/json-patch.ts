import { AppError } from '@lateen/errors';
import { isJsonObject } from '../http/exact-json.ts';
import type { JsonPatchOperation } from '../kube-api.ts';

export interface JsonPatchOptions {
  /** What `replace` does where nothing is: the API server takes it for an `add`, RFC 6902 does not. Default `refuse`. */
  replaceMissing?: 'add' | 'refuse';
}

/**
 * RFC 6902 on a copy; all or nothing. Exact numbers stay as they are.
 * @throws JSON_PATCH_TEST_FAILED, JSON_PATCH_NOT_APPLICABLE, with the operation and its path
 */
export function jsonPatch(
  target: unknown,
  operations: readonly JsonPatchOperation[],
  { replaceMissing = 'refuse' }: JsonPatchOptions = {},
): unknown {
  const root = { value: copied(target) };
  for (const operation of operations) applyOperation(root, operation, replaceMissing);
  return root.value;
}

type Root = { value: unknown };

function applyOperation(root: Root, operation: JsonPatchOperation, replaceMissing: 'add' | 'refuse'): void {
  const { op, path: at, from = '', value } = operation;
  const path = pointer(at);
  switch (op) {
    case 'add':
      put(root, path, copied(value), 'add');
      break;
    case 'replace':
      if (replaceMissing === 'refuse') read(root, path, op);
      put(root, path, copied(value), 'replace');
      break;
    case 'remove':
      take(root, path, op);
      break;
    case 'test':
      test(root, path, at, value);
      break;
    case 'copy':
      put(root, path, copied(read(root, pointer(from), op)), 'add');
      break;
    case 'move':
      put(root, path, take(root, pointer(from), op), 'add');
      break;
    default:
      throw notApplicable(String(op), at, 'there is no such operation');
  }
}

/** What is not there is as null, and differs from everything else. */
function test(root: Root, path: readonly string[], at: string, value: unknown): void {
  let found: unknown;
  try {
    found = read(root, path, 'test');
  } catch {
    found = null;
  }
  if (sameJson(found, value)) return;
  throw new AppError('JSON_PATCH_TEST_FAILED', `testing value ${at} failed`, { details: { path: at } });
}

/** Whether two values of JSON are the same; the order of keys does not count, numbers are alike when written alike. */
function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return JSON.stringify(a) === JSON.stringify(b);
  const fields = Object.keys(a);
  return (
    fields.length === Object.keys(b).length &&
    fields.every((field) => Object.hasOwn(b, field) && sameJson(a[field], b[field]))
  );
}

/** @throws JSON_PATCH_NOT_APPLICABLE for a text that is no pointer */
function pointer(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw notApplicable('', path, 'a path begins with /');
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const textOf = (path: readonly string[]): string => path.map((part) => `/${part}`).join('');

function read(root: Root, path: readonly string[], op: string): unknown {
  let value = root.value;
  for (const part of path) {
    if (Array.isArray(value)) value = value[index(part, value.length - 1, op, path)];
    else if (isJsonObject(value) && Object.hasOwn(value, part)) value = value[part];
    else throw notApplicable(op, textOf(path), 'nothing is there');
  }
  return value;
}

function put(root: Root, path: readonly string[], value: unknown, op: 'add' | 'replace'): void {
  const last = path.at(-1);
  if (last === undefined) {
    root.value = value;
    return;
  }
  const parent = read(root, path.slice(0, -1), op);
  if (Array.isArray(parent)) {
    const max = op === 'add' ? parent.length : parent.length - 1;
    parent.splice(last === '-' ? parent.length : index(last, max, op, path), op === 'add' ? 0 : 1, value);
  } else if (isJsonObject(parent)) define(parent, last, value);
  else throw notApplicable(op, textOf(path), 'its parent is neither a map nor a list');
}

/** Also for `__proto__`, which an assignment would not make a field. */
const define = (parent: Record<string, unknown>, field: string, value: unknown): void =>
  void Object.defineProperty(parent, field, { value, writable: true, enumerable: true, configurable: true });

function take(root: Root, path: readonly string[], op: string): unknown {
  const last = path.at(-1);
  if (last === undefined) throw notApplicable(op, '', 'the whole object cannot be removed');
  const value = read(root, path, op);
  const parent = read(root, path.slice(0, -1), op);
  if (Array.isArray(parent)) parent.splice(index(last, parent.length - 1, op, path), 1);
  else if (isJsonObject(parent)) delete parent[last];
  return value;
}

function index(part: string, max: number, op: string, path: readonly string[]): number {
  const at = /^(0|[1-9]\d*)$/.test(part) ? Number(part) : -1;
  if (at < 0 || at > max) throw notApplicable(op, textOf(path), `the list has no place ${part}`);
  return at;
}

const notApplicable = (op: string, path: string, why: string) =>
  new AppError('JSON_PATCH_NOT_APPLICABLE', `${op} operation does not apply at ${path}: ${why}`.trim(), {
    details: { op, path },
  });

/** Exact numbers cannot be changed and stay as they are. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, copied(inner)]));
}
