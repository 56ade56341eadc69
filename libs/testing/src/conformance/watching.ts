import { type ConfigMap, configMapType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import type { KubeObject, ResourceType, WatchEvent, WatchOptions } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { configMapIn } from './config-maps.ts';
import type { ConformanceSubject } from './conformance-subject.ts';
import { errorCodeOf } from './error-code-of.ts';

const eventTimeoutMs = 20_000;

export function watchingTests(subject: ConformanceSubject, oldKind: ResourceType): void {
  const { name } = subject;
  const key = (named: string) => ({ namespace: subject.namespace, name: named });
  const versionNow = async () =>
    (await subject.api.list(configMapType, { namespace: subject.namespace, limit: 1 })).resourceVersion;
  const put = (named: string, v: string, labels?: Record<string, string>) => {
    const object = configMapIn(subject, named, { data: { v }, ...(labels === undefined ? {} : { labels }) });
    return subject.api.update(configMapType, object);
  };

  describe('watching', () => {
    it('delivers each change after the version, in order, with the whole object', async () => {
      const a = name('watch');
      const resourceVersion = await versionNow();
      await subject.api.create(configMapType, configMapIn(subject, a, { data: { v: '1' } }));
      await put(a, '2');
      const events = collect<ConfigMap>(subject, { resourceVersion, fieldSelector: `metadata.name=${a}` }, 3);
      await subject.api.delete(configMapType, key(a));
      const seen = await events;
      expect(seen.map((event) => [event.type, dataOf(event)])).toEqual([
        ['ADDED', '1'],
        ['MODIFIED', '2'],
        ['DELETED', '2'],
      ]);
      const versions = seen.map((event) =>
        event.type === 'BOOKMARK' ? 0 : Number(event.object.metadata.resourceVersion),
      );
      expect(versions).toEqual([...versions].sort((x, y) => x - y));
      expect(new Set(versions).size).toBe(3);
    });

    it('continues from any event without losing or repeating one', async () => {
      const a = name('resume');
      await subject.api.create(configMapType, configMapIn(subject, a, { data: { v: '0' } }));
      const second = await put(a, '1');
      for (const v of ['2', '3']) await put(a, v);
      const { resourceVersion = '' } = second.metadata;
      const seen = await collect<ConfigMap>(subject, { resourceVersion, fieldSelector: `metadata.name=${a}` }, 2);
      expect(seen.map(dataOf)).toEqual(['2', '3']);
    });

    it('sends a watch with a selector what starts and what stops matching', async () => {
      const a = name('in-out');
      const resourceVersion = await versionNow();
      await subject.api.create(configMapType, configMapIn(subject, a, { data: { v: '1' }, labels: { color: 'blue' } }));
      await put(a, '2', { color: 'red' });
      await put(a, '3', { color: 'red' });
      await put(a, '4', { color: 'blue' });
      const labelSelector = 'color=red';
      const seen = await collect<ConfigMap>(
        subject,
        { resourceVersion, labelSelector, fieldSelector: `metadata.name=${a}` },
        3,
      );
      expect(seen.map((event) => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    });

    it('returns 410 for a version that is gone', async () => {
      await subject.compact?.();
      expect(await errorCodeOf(collect(subject, { resourceVersion: '1' }, 1, oldKind))).toBe('KUBE_GONE');
    });

    it('ends by itself after timeoutSeconds, with a bookmark shortly before', async () => {
      const resourceVersion = await versionNow();
      const startedMs = systemClock.monotonicMs();
      const { namespace, api } = subject;
      // A bookmark reports changes that the selector hides; without a change a server may have nothing to report.
      const hidden = systemClock.sleep(300).then(() => api.create(configMapType, configMapIn(subject, name('hidden'))));
      const watch = { namespace, resourceVersion, fieldSelector: 'metadata.name=nobody', timeoutSeconds: 4 };
      const seen: WatchEvent<KubeObject>[] = [];
      for await (const event of api.watch(configMapType, watch)) seen.push(event);
      expect(systemClock.monotonicMs() - startedMs).toBeGreaterThan(3_000);
      expect(new Set(seen.map((event) => event.type))).toEqual(new Set(['BOOKMARK']));
      const last = seen.at(-1);
      const told = last?.type === 'BOOKMARK' ? Number(last.resourceVersion) : 0;
      expect(told).toBeGreaterThanOrEqual(Number((await hidden).metadata.resourceVersion));
    }, 30_000);

    it('ends with the reason when the signal aborts', async () => {
      const stop = new AbortController();
      const reason = new Error('enough seen');
      const resourceVersion = await versionNow();
      const { namespace } = subject;
      const events = subject.api.watch(configMapType, {
        namespace,
        resourceVersion,
        timeoutSeconds: 60,
        signal: stop.signal,
      });
      const next = events[Symbol.asyncIterator]().next();
      const outcome = next.then(
        () => 'an event',
        (error: unknown) => error,
      );
      await systemClock.sleep(50);
      stop.abort(reason);
      expect(await outcome).toBe(reason);
    });
  });
}

/** The first `count` events that are not bookmarks. */
async function collect<T extends KubeObject>(
  subject: ConformanceSubject,
  options: Omit<WatchOptions, 'timeoutSeconds' | 'namespace' | 'signal'>,
  count: number,
  type: ResourceType = configMapType,
): Promise<WatchEvent<T>[]> {
  const seen: WatchEvent<T>[] = [];
  const stop = new AbortController();
  const watch = { ...options, namespace: subject.namespace, timeoutSeconds: 60 };
  const signal = AbortSignal.any([stop.signal, systemClock.deadline(eventTimeoutMs)]);
  try {
    for await (const event of subject.api.watch(type as ResourceType<T>, { ...watch, signal })) {
      if (event.type !== 'BOOKMARK') seen.push(event);
      if (seen.length >= count) break;
    }
    return seen;
  } finally {
    stop.abort();
  }
}

function dataOf(event: WatchEvent<ConfigMap>): string | undefined {
  return event.type === 'BOOKMARK' ? undefined : event.object.data?.v;
}
