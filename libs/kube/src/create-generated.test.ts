import { configMapType } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { createGenerated, generatedName } from './create-generated.ts';
import type { KubeApi } from './kube-api.ts';
import { kubeError } from './kube-error.ts';

let drawn = 0;
const random = { next: () => 0, uuid: () => '', suffix: () => `${drawn++}`.padStart(5, 'a') };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'app', generateName: 'made-' } };

/** Answers creations as the test says; stored objects can be read and deleted. */
function server(...answers: ('made' | 'lost' | 'refused' | 'taken' | 'down')[]) {
  const stored: string[] = [];
  const kube = {
    create: async (_type: unknown, { metadata }: typeof object & { metadata: { name?: string } }) => {
      const answer = answers.shift() ?? 'made';
      if (answer === 'taken') throw kubeError('KUBE_ALREADY_EXISTS', 'taken');
      if (answer === 'refused') throw kubeError('KUBE_FORBIDDEN', 'no');
      if (answer !== 'down') stored.push(metadata.name ?? '');
      if (answer !== 'made') throw kubeError('KUBE_UNAVAILABLE', 'the connection was interrupted');
      return { ...object, metadata };
    },
    get: async (_type: unknown, { name }: { name: string }) => {
      if (!stored.includes(name)) throw kubeError('KUBE_NOT_FOUND', 'none');
      return { ...object, metadata: { ...object.metadata, name, uid: name } };
    },
    delete: async (_type: unknown, { name }: { name: string }) => void stored.splice(stored.indexOf(name), 1),
  } as unknown as KubeApi;
  const create = (signal = new AbortController().signal) =>
    createGenerated({ kube, random }, configMapType, object, signal);
  return { stored, create };
}

describe('creating under a name from generateName', () => {
  it('truncates the base as the API server does', () => {
    expect(generatedName('x'.repeat(80), random)).toMatch(/^x{58}.{5}$/);
  });

  it('tries another name when one is taken, a limited number of times', async () => {
    const { stored, create } = server('taken', 'taken', 'made');
    await create();
    expect(stored).toHaveLength(1);
    await expect(server('taken', 'taken', 'taken', 'taken', 'taken').create()).rejects.toThrow('taken');
  });

  it('returns the created object when the response is lost', async () => {
    const { stored, create } = server('lost');
    const made = await create();
    expect(stored).toEqual([made.metadata.name]);
  });

  it.each(['refused', 'down'] as const)('fails when nothing was created: %s', async (answer) => {
    const { stored, create } = server(answer);
    await expect(create()).rejects.toThrow();
    expect(stored).toEqual([]);
  });

  it('deletes the created object when it was aborted meanwhile', async () => {
    const { stored, create } = server('lost');
    await expect(create(AbortSignal.abort())).rejects.toThrow();
    expect(stored).toEqual([]);
  });
});
