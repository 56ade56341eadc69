import type { KubeObject, WatchEvent } from '@lateen/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answers, bookmarkLine, eventLine, refuses, streams } from './behaviours.ts';
import { configMap, configMaps, type FaultWorld, faultWorld, type MakeFaultApi } from './fault-harness.ts';

export function describeWatchFaults(makeApi: MakeFaultApi): void {
  describe('watches', () => {
    let world: FaultWorld;
    beforeEach(async () => {
      world = await faultWorld(makeApi);
    });
    afterEach(() => world.end());

    const watch = (signal?: AbortSignal) =>
      world.api.watch(configMaps, { namespace: 'ns', resourceVersion: '5', timeoutSeconds: 300, signal });
    const collect = async (events: AsyncIterable<WatchEvent<KubeObject>>) => {
      const seen: string[] = [];
      for await (const event of events) {
        seen.push(
          event.type === 'BOOKMARK'
            ? `BOOKMARK ${event.resourceVersion}`
            : `${event.type} ${event.object.metadata.name}`,
        );
      }
      return seen;
    };
    const streamOf = (text: string) => answers(200, text);

    it('requests bookmarks and a limited time, and ends normally when the server closes', async () => {
      world.server.next(streamOf(eventLine('ADDED', configMap('a')) + bookmarkLine('9')));
      expect(await collect(watch())).toEqual(['ADDED a', 'BOOKMARK 9']);
      const { searchParams } = new URL(world.server.received[0]?.url ?? '', world.server.url);
      expect(Object.fromEntries(searchParams)).toEqual({
        watch: '1',
        allowWatchBookmarks: 'true',
        resourceVersion: '5',
        timeoutSeconds: '300',
      });
    });

    it('assembles events for any chunk boundaries', async () => {
      const bytes = Buffer.from(eventLine('ADDED', configMap('ä€😀')) + bookmarkLine('9'));
      const { behaviour, opened } = streams();
      world.server.next(behaviour);
      const seen = collect(watch());
      const stream = await opened;
      for (const byte of bytes) await stream.write(Uint8Array.of(byte));
      stream.end();
      expect(await seen).toEqual(['ADDED ä€😀', 'BOOKMARK 9']);
    });

    it.each([
      ['as a status', refuses(410, 'Expired')],
      [
        'as an event',
        streamOf(eventLine('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' })),
      ],
    ])('ends with KUBE_GONE when the version is too old: %s', async (_form, behaviour) => {
      world.server.next(behaviour);
      expect((await world.failure(collect(watch()))).code).toBe('KUBE_GONE');
    });

    it('starts again by itself while the server is busy', async () => {
      world.server.next(
        refuses(429, 'TooManyRequests', { headers: { 'retry-after': '1' } }),
        streamOf(bookmarkLine('9')),
      );
      expect((await world.settle(collect(watch()))).value).toEqual(['BOOKMARK 9']);
    });

    it('ends with KUBE_UNAVAILABLE when the connection is reset in the middle', async () => {
      const { behaviour, opened } = streams();
      world.server.next(behaviour);
      const events = watch()[Symbol.asyncIterator]();
      const first = events.next();
      const stream = await opened;
      await stream.write(bookmarkLine('9'));
      expect((await first).value).toEqual({ type: 'BOOKMARK', resourceVersion: '9' });
      stream.reset();
      await expect(events.next()).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE', retry: 'soon' });
    });

    it('does not deliver a truncated last line', async () => {
      world.server.next(streamOf(bookmarkLine('9') + eventLine('ADDED', configMap('a')).slice(0, 40)));
      const error = await world.failure(collect(watch()));
      expect(error).toMatchObject({ code: 'KUBE_UNAVAILABLE', retry: 'soon' });
      expect(error.message).toContain('ended inside an event');
    });

    it.each([
      ['a line that is not JSON', 'nonsense\n'],
      ['a line that is not an event', '5\n'],
      ['an event of an unknown type', eventLine('EXPLODED', configMap('a'))],
      ['an event without an object', eventLine('ADDED', undefined)],
      ['a line longer than the limit', eventLine('ADDED', configMap('a', { data: { x: 'x'.repeat(70 * 1024) } }))],
    ])('ends with KUBE_BAD_ANSWER on %s', async (_what, text) => {
      world.server.next(streamOf(text));
      expect((await world.failure(collect(watch()))).code).toBe('KUBE_BAD_ANSWER');
    });

    it('detects a half-open connection by missing bookmarks', async () => {
      const { behaviour, opened } = streams();
      world.server.next(behaviour);
      const seen = collect(watch());
      seen.catch(() => {});
      const stream = await opened;
      // Two slow bookmarks keep the watch alive beyond its limit.
      for (const version of ['8', '9']) {
        while (world.clock.pending === 0) await new Promise(setImmediate);
        await world.clock.advance(140_000);
        await stream.write(bookmarkLine(version));
        await delivered();
      }
      await world.clock.advance(160_000);
      await expect(seen).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE', details: { reason: 'IDLE' } });
      await world.server.received[0]?.closed;
      expect(world.clock.pending).toBe(0);
    });

    it('does not count the time of its consumer', async () => {
      world.server.next(streamOf(bookmarkLine('8') + bookmarkLine('9')));
      const seen: string[] = [];
      for await (const event of watch()) {
        if (event.type === 'BOOKMARK') seen.push(event.resourceVersion);
        await world.clock.advance(400_000);
      }
      expect(seen).toEqual(['8', '9']);
    });

    it('closes the connection when the consumer leaves', async () => {
      const { behaviour, opened } = streams();
      world.server.next(behaviour);
      const events = watch()[Symbol.asyncIterator]();
      const first = events.next();
      await (await opened).write(bookmarkLine('9'));
      await first;
      await events.return?.();
      await world.server.received[0]?.closed;
      expect(world.clock.pending).toBe(0);
    });

    it('ends with the reason of the abort, and closes the connection', async () => {
      const { behaviour, opened } = streams();
      world.server.next(behaviour);
      const stop = new AbortController();
      const seen = collect(watch(stop.signal));
      seen.catch(() => {});
      await opened;
      stop.abort(new Error('enough'));
      await expect(seen).rejects.toThrow('enough');
      await world.server.received[0]?.closed;
    });
  });
}

/** Long enough for a written chunk to reach a reader on loopback. */
async function delivered(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}
