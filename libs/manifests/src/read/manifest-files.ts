import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import type { Unstructured } from '@lateen/kube';
import { load, loadAll } from 'js-yaml';

/** Deeper nesting of kustomizations than this is a loop. */
const kustomizationDepthMax = 8;

/**
 * The objects of a kustomization, in the order of its `resources`. Only `resources` is understood: deploy/base uses
 * nothing else, so that `kubectl apply -k` and this reader see the same objects.
 * @throws DEPLOY_MANIFEST_INVALID naming the file
 */
export async function loadKustomization(dir: string, depth = 0): Promise<Unstructured[]> {
  const file = join(dir, 'kustomization.yaml');
  if (depth > kustomizationDepthMax) throw invalid(file, `is nested more than ${kustomizationDepthMax} levels deep`);
  const { resources, kind: _kind, apiVersion: _apiVersion, ...unknown } = asRecord(load(await readText(file)), file);
  if (!Array.isArray(resources)) throw invalid(file, 'has no list "resources"');
  const [field] = Object.keys(unknown);
  if (field !== undefined) throw invalid(file, `uses "${field}", which only kustomize itself understands`);
  const objects: Unstructured[] = [];
  for (const resource of resources) {
    const path = join(dir, String(resource));
    const isDirectory = await stat(path).then(
      (found) => found.isDirectory(),
      (error) => {
        throw invalid(file, `names ${resource}, which cannot be read`, error);
      },
    );
    objects.push(...(isDirectory ? await loadKustomization(path, depth + 1) : await loadManifestFile(path)));
  }
  return objects;
}

/** Every object of every `*.yaml` file of a directory, by file name. @throws DEPLOY_MANIFEST_INVALID */
export async function loadManifestDirectory(dir: string): Promise<Unstructured[]> {
  const names = await readdir(dir).catch((error: unknown) => {
    throw invalid(dir, 'cannot be listed', error);
  });
  const files = names.filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml').sort();
  const loaded = await Promise.all(files.map((name) => loadManifestFile(join(dir, name))));
  return loaded.flat();
}

/** @throws DEPLOY_MANIFEST_INVALID */
export async function loadManifestFile(path: string): Promise<Unstructured[]> {
  const text = await readText(path);
  let documents: unknown[];
  try {
    documents = loadAll(text);
  } catch (error) {
    throw invalid(path, 'is not YAML', error);
  }
  return documents.filter((document) => document !== null && document !== undefined).map((it) => asObject(it, path));
}

function asObject(document: unknown, path: string): Unstructured {
  const record = asRecord(document, path);
  const metadata = asRecord(record.metadata, path);
  if (typeof record.apiVersion !== 'string' || typeof record.kind !== 'string' || typeof metadata.name !== 'string')
    throw invalid(path, 'holds an object without apiVersion, kind or metadata.name');
  // A YAML alias makes two fields share one value; a plain tree is what everybody after us expects.
  return JSON.parse(JSON.stringify(document));
}

function asRecord(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'holds no mapping');
  return value as Record<string, unknown>;
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw invalid(path, 'cannot be read', error);
  });
}

const invalid = (path: string, what: string, cause?: unknown): AppError =>
  new AppError('DEPLOY_MANIFEST_INVALID', `${path} ${what}`, cause === undefined ? {} : { cause });
