import { AppError } from '@lateen/errors';
import { observedStore, type StoreCallEnd } from '@lateen/object-store';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../clock/fake-clock.ts';
import { faultyObjectStore, type ScriptedFault } from './faulty-object-store.ts';
import { memoryObjectStore } from './memory-object-store.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function observed(script: ScriptedFault[] = []) {
  const clock = new FakeClock();
  const ended: StoreCallEnd[] = [];
  const began: string[] = [];
  const memory = memoryObjectStore({ objects: { 'd/k': 'value' } });
  const store = observedStore(
    faultyObjectStore(memory, script, clock),
    { began: (operation) => void began.push(operation), ended: (call) => void ended.push(call) },
    clock,
  );
  return { clock, store, began, ended };
}

describe('observedStore', () => {
  it('reports each call, its bytes and its result', async () => {
    const { store, began, ended } = observed();
    await store.put('a', bytes('four'));
    await store.get('a');
    await store.write('b', some(['one', 'two']));
    await Array.fromAsync(store.read('b'));
    await Array.fromAsync(store.list(''));
    await store.listCommonPrefixes('');
    await store.exists('a');
    await store.delete('a');
    await store.signedUrl('a', { ttlMs: 1 });
    await store.get('a').catch(() => {});
    const line = ({ operation, result, bytesUp, bytesDown }: StoreCallEnd) =>
      `${operation} ${result} ${bytesUp} ${bytesDown}`;
    expect(ended.map(line)).toEqual([
      'put ok 4 0',
      'get ok 0 4',
      'write ok 6 0',
      'read ok 0 6',
      'list ok 0 0',
      'listCommonPrefixes ok 0 0',
      'exists ok 0 0',
      'delete ok 0 0',
      'signedUrl ok 0 0',
      'get OBJECT_NOT_FOUND 0 0',
    ]);
    expect(began).toEqual(ended.map(({ operation }) => operation));
  });

  it('measures with its clock, up to the end of the call', async () => {
    const { store, clock, ended } = observed([{ on: 'get', fault: { delayMs: 1_500 } }]);
    const getting = store.get('d/k');
    await clock.advance(1_400);
    expect(ended).toEqual([]);
    await clock.advance(100);
    await getting;
    expect(ended).toMatchObject([{ durationMs: 1_500 }]);
  });

  it('reports an abort, a truncated stream with its bytes, and a loop that was left', async () => {
    const cut = new AppError('OBJECT_STORE_UNAVAILABLE', 'cut', { retry: 'soon' });
    const { store, ended } = observed([
      { on: 'get', fault: { hang: true } },
      { on: 'read', times: 1, fault: { cutAfter: 5, error: cut } },
    ]);
    const stop = new AbortController();
    const getting = store.get('d/k', { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(getting).rejects.toThrow('enough');
    await expect(Array.fromAsync(store.read('d/k'))).rejects.toBe(cut);
    for await (const _ of store.read('d/k')) break;
    await expect(store.write('w', failing(new Error('a defect')))).rejects.toThrow('a defect');
    expect(ended).toMatchObject([
      { operation: 'get', result: 'aborted' },
      { operation: 'read', result: 'OBJECT_STORE_UNAVAILABLE', bytesDown: 5 },
      { operation: 'read', result: 'ok', bytesDown: 5 },
      { operation: 'write', result: 'error', bytesUp: 3 },
    ]);
  });
});

async function* some(pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield bytes(piece);
}

async function* failing(error: Error): AsyncGenerator<Uint8Array> {
  yield bytes('abc');
  throw error;
}
