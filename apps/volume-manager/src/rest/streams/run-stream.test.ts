import { EventEmitter } from 'node:events';
import { FakeClock, letWorkRun } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import type { StorageReader } from '../reading/storage-reader.ts';
import { runStream } from './run-stream.ts';
import { SharedBodies } from './shared-bodies.ts';
import { streamPathOf } from './stream-path.ts';

/** A client that takes messages and answers pings when the test says so. */
class Client extends EventEmitter {
  readonly texts: string[] = [];
  pings = 0;
  isCutOff = false;
  takes = true;
  answers = true;
  send(bytes: Buffer, _: object, done: () => void): void {
    this.texts.push(String(bytes));
    if (this.takes) done();
  }
  ping(): void {
    this.pings += 1;
    if (this.answers) this.emit('pong');
  }
  terminate(): void {
    this.isCutOff = true;
    this.emit('close');
  }
}

/** Nodes whose names the test changes. */
function world(periodMs = 0) {
  const clock = new FakeClock();
  const handlers = new Set<() => void>();
  let names = ['a'];
  const reader = {
    get: () => undefined,
    list: (kind: string) => (kind === 'nodes' ? names.map((name) => ({ metadata: { name }, spec: {} })) : []),
    onChange: (kind: string, changed: () => void) => {
      if (kind === 'nodes') handlers.add(changed);
      return () => handlers.delete(changed);
    },
  } as unknown as StorageReader;
  const stop = new AbortController();
  const client = new Client();
  const bodies = new SharedBodies(reader, clock);
  const options = { collection: 'nodes', periodMs, base: 'http://a', clock, signal: stop.signal, bodies };
  const run = runStream({ ...options, socket: client as unknown as WebSocket });
  const change = (...next: string[]) => {
    names = next;
    for (const changed of handlers) changed();
  };
  return { clock, client, change, stop, run, handlers };
}

describe('a stream', () => {
  it('sends one message for a burst of changes, and keeps the requested period', async () => {
    const { clock, client, change, stop, run } = world(1_000);
    await letWorkRun();
    for (const name of ['b', 'c', 'd']) change('a', name);
    await clock.advance(999);
    expect(client.texts).toHaveLength(1);
    await clock.advance(1);
    await letWorkRun();
    expect(client.texts).toHaveLength(2);
    expect(client.texts[1]).toContain('/v1/nodes/d');
    stop.abort();
    await run;
  });
  it('sends one message at a time to a slow client, and disconnects it after ten seconds', async () => {
    const { clock, client, change, run, handlers } = world();
    await letWorkRun();
    client.takes = false;
    change('b');
    await clock.advance(100);
    await letWorkRun();
    change('c');
    const end = run.catch((error: { code: string }) => error.code);
    await clock.advance(9_999);
    expect([client.texts.length, client.isCutOff]).toEqual([2, false]);
    await clock.advance(1);
    expect(await end).toBe('STREAM_STUCK');
    expect([client.isCutOff, handlers.size]).toEqual([true, 0]);
  });
  it('pings the client every 15 s, and disconnects it when it does not answer', async () => {
    const { clock, client, run, handlers } = world();
    await letWorkRun();
    await clock.advance(15_000);
    expect([client.pings, client.isCutOff]).toEqual([2, false]);
    client.answers = false;
    await clock.advance(15_000);
    await clock.advance(15_000);
    await run;
    expect([client.pings, client.isCutOff, handlers.size]).toEqual([3, true, 0]);
  });
});

it('a body that takes long to render is rendered for all clients once in twenty times that duration', () => {
  let nowMs = 0;
  let made = 0;
  let changed = () => {};
  const reader = {
    get: () => undefined,
    list: (kind: string) => {
      if (kind !== 'nodes') return [];
      made += 1;
      nowMs += 50;
      return [];
    },
    onChange: (_: string, handler: () => void) => {
      changed = handler;
      return () => {};
    },
  } as unknown as StorageReader;
  const bodies = new SharedBodies(reader, { monotonicMs: () => nowMs });
  const leave = bodies.follow('nodes');
  const versions = () => [bodies.body('nodes', 'http://a').version, bodies.body('nodes', 'http://a').version];
  expect(versions()).toEqual([0, 0]);
  changed();
  nowMs += 999;
  expect([versions(), made]).toEqual([[0, 0], 1]);
  nowMs += 1;
  expect([versions(), made]).toEqual([[1, 1], 2]);
  leave();
});

describe('streamPathOf', () => {
  it.each([
    ['/v1/ws/volumes', { collection: 'volumes', periodMs: 0 }],
    ['/v1/ws/1s/volumes?x=1', { collection: 'volumes', periodMs: 1_000 }],
    ['/v1/ws/1h/backups', { collection: 'backups', periodMs: 15_000 }],
    ['/v1/ws/-1s/nodes', { collection: 'nodes', periodMs: 0 }],
    ['/v1/ws/soon/nodes', { collection: 'nodes', periodMs: 0 }],
    ['/v1/ws/constructor', undefined],
    ['/v1/ws/1s/instancemanagers', undefined],
    ['/v1/volumes', undefined],
  ])('reads %s as %o', (url, expected) => expect(streamPathOf(url)).toEqual(expected));
});
