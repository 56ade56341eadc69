import { type DataUpload, dataUploadType } from '@lateen/api-types';
import { kubeError } from '@lateen/kube';
import { aDataUpload, FakeClock, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { MovementKind } from '../kinds/movement-kind.ts';
import { Conclusion } from './conclusion.ts';

const step = { do: 'end', phase: 'Failed', message: 'it was not prepared within 30 m', diagnose: true } as const;

async function endOf(diagnose: () => Promise<string | undefined>, stop = new AbortController()) {
  const clock = new FakeClock();
  const object = aDataUpload({ name: 'x', phase: 'Accepted', acceptedByNode: 'node-1' });
  const kube = fakeCluster({ clock, objects: [object] });
  const key = { namespace: 'velero', name: 'x' };
  const kind = { type: dataUploadType, diagnose } as unknown as MovementKind<DataUpload>;
  const conclusion = new Conclusion({ kube, kind, clock, tell: () => {} });
  await conclusion.end(step, await kube.get(dataUploadType, key), stop.signal);
  return kube.find(dataUploadType, key)?.status;
}

describe('the end of a movement that was not prepared in time', () => {
  it('contains what it waited for', async () => {
    expect(await endOf(async () => 'no node has room')).toMatchObject({
      phase: 'Failed',
      message: 'it was not prepared within 30 m: no node has room',
    });
  });

  it('is recorded even when the cause cannot be determined', async () => {
    const status = await endOf(async () => {
      throw kubeError('KUBE_SERVER_ERROR', 'events cannot be listed');
    });
    expect(status).toMatchObject({
      phase: 'Failed',
      message:
        'it was not prepared within 30 m: the cause of its wait could not be determined: events cannot be listed',
    });
  });

  it('is left to the next process when this one is stopped meanwhile', async () => {
    const stop = new AbortController();
    const ended = endOf(async () => {
      stop.abort(new Error('told to stop'));
      throw kubeError('KUBE_UNAVAILABLE', 'aborted');
    }, stop);
    await expect(ended).rejects.toThrow('told to stop');
  });
});
