import { isDeepStrictEqual } from 'node:util';
import type { JsonPatchOperation } from '@lateen/kube';
import { unprocessable } from './api-error.ts';
import { isJsonObject } from './exact-json.ts';

/** RFC 6902 on a copy. @throws KUBE_INVALID when an operation does not apply, with the API server's bare wording */
export function jsonPatch(target: unknown, operations: readonly JsonPatchOperation[]): unknown {
  const root = { value: copy(target) };
  for (const operation of operations) applyOperation(root, operation);
  return root.value;
}

type Root = { value: unknown };

function applyOperation(root: Root, operation: JsonPatchOperation): void {
  const path = pointer(operation.path);
  switch (operation.op) {
    case 'add':
    case 'replace':
      put(root, path, copy(operation.value), operation.op);
      break;
    case 'remove':
      take(root, path);
      break;
    case 'test':
      if (!isDeepStrictEqual(read(root, path), operation.value)) throw unprocessable();
      break;
    case 'copy':
      put(root, path, copy(read(root, pointer(operation.from ?? ''))), 'add');
      break;
    case 'move':
      put(root, path, take(root, pointer(operation.from ?? '')), 'add');
      break;
    default:
      throw unprocessable();
  }
}

function pointer(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw unprocessable();
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(root: Root, path: readonly string[]): unknown {
  let value = root.value;
  for (const part of path) {
    if (Array.isArray(value)) value = value[index(part, value.length - 1)];
    else if (isJsonObject(value) && part in value) value = value[part];
    else throw unprocessable();
  }
  return value;
}

function put(root: Root, path: readonly string[], value: unknown, mode: 'add' | 'replace'): void {
  const last = path.at(-1);
  if (last === undefined) {
    root.value = value;
    return;
  }
  const parent = read(root, path.slice(0, -1));
  if (Array.isArray(parent)) {
    const at = last === '-' ? parent.length : index(last, mode === 'add' ? parent.length : parent.length - 1);
    parent.splice(at, mode === 'add' ? 0 : 1, value);
  } else if (isJsonObject(parent)) {
    // The API server takes a `replace` of a missing field for an `add`.
    parent[last] = value;
  } else {
    throw unprocessable();
  }
}

function take(root: Root, path: readonly string[]): unknown {
  const last = path.at(-1);
  if (last === undefined) throw unprocessable();
  const value = read(root, path);
  const parent = read(root, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(index(last, parent.length - 1), 1);
  else if (isJsonObject(parent)) delete parent[last];
  return value;
}

function index(part: string, max: number): number {
  const at = /^(0|[1-9]\d*)$/.test(part) ? Number(part) : -1;
  if (at < 0 || at > max) throw unprocessable();
  return at;
}

/** Numbers kept as text are immutable and stay as they are. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, copy(inner)]));
}
