import { silentLogger } from '@lateen/kernel';
import { aRestoreContext } from '@lateen/testing';
import { expect, it } from 'vitest';
import type { PluginCall, PluginCaller } from '../calls/plugin-call.ts';
import type { PluginOffer } from '../discover/plugin-offer.ts';
import type { PluginProcess } from '../process/plugin-process.ts';
import { pluginRestoreItemAction } from './restore-item-action.ts';

const never = new AbortController().signal;

it('builds the request of a waiting call only when it is sent', async () => {
  let encoded = 0;
  const item = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'shop' },
    get data() {
      encoded += 1;
      return { key: 'value' };
    },
  };
  const waiting: PluginCall<unknown>[] = [];
  const caller: PluginCaller = {
    call: async <T>(_scope: unknown, call: PluginCall<T>): Promise<T> => {
      waiting.push(call);
      return await new Promise<T>(() => {});
    },
    endRun: async () => {},
  };
  const offer = { name: 'example.io/a', kind: 'RestoreItemActionV2', appliesTo: {} } as PluginOffer;
  const context = aRestoreContext();
  void pluginRestoreItemAction(offer, caller, silentLogger).execute({ item, itemFromBackup: item }, context, never);
  expect([waiting.length, encoded]).toEqual([1, 0]);

  const sent: { item: Buffer }[] = [];
  const process = { client: () => ({ execute: async (request: { item: Buffer }) => sent.push(request) }) };
  await waiting[0]?.run(process as unknown as PluginProcess, { signal: never, touch: () => {} });
  expect(sent.map((request) => JSON.parse(String(request.item)))).toEqual([
    expect.objectContaining({ kind: 'ConfigMap' }),
  ]);
  expect(waiting[0]?.requestBytes?.()).toBeGreaterThan(100);
});
