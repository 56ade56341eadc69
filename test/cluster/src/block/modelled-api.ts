import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@lateen/kube';
import { loadAll } from 'js-yaml';

const definitions = join(import.meta.dirname, '../../../../deploy/crds-storage');

/** The custom resource definitions of longhorn.io, so that a model of the API server knows the paths of its kinds. */
export async function definitionObjects(): Promise<KubeObject[]> {
  const files = (await readdir(definitions)).filter((name) => name.startsWith('longhorn.io_'));
  const texts = await Promise.all(files.map((name) => readFile(join(definitions, name), 'utf8')));
  return texts.flatMap((text) => loadAll(text)) as KubeObject[];
}

/** Kubeconfig for a process that uses a model of the API server. */
export const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'model', cluster: { server } }],
    users: [{ name: 'driver', user: {} }],
    contexts: [{ name: 'model', context: { cluster: 'model', user: 'driver' } }],
    'current-context': 'model',
  });
