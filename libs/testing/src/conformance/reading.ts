import { type ConfigMap, type CoreEvent, configMapType, eventType, type Secret, secretType } from '@lateen/api-types';
import { continueAfterExpiry, type ListOptions } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { configMapIn } from './config-maps.ts';
import type { ConformanceSubject } from './conformance-subject.ts';
import { errorCodeOf } from './error-code-of.ts';

const nameOf = (object: { metadata: { name?: string } }): string => object.metadata.name ?? '';

export function readingTests(subject: ConformanceSubject): void {
  const { name } = subject;
  const key = (named: string) => ({ namespace: subject.namespace, name: named });

  describe('reading', () => {
    it('returns what was stored, with kind and apiVersion', async () => {
      const a = name('read');
      await subject.api.create(configMapType, configMapIn(subject, a, { data: { 'key.txt': 'wört\n' } }));
      const got = await subject.api.get(configMapType, key(a));
      expect(got).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { 'key.txt': 'wört\n' } });
      expect(got.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('reports a missing object, by code and by name', async () => {
      const missing = subject.api.get(configMapType, key('missing'));
      expect(await errorCodeOf(missing)).toBe('KUBE_NOT_FOUND');
      await expect(missing).rejects.toThrow('configmaps "missing" not found');
      expect(await errorCodeOf(subject.api.get(configMapType, { namespace: 'no-such-ns', name: 'x' }))).toBe(
        'KUBE_NOT_FOUND',
      );
    });

    it('lists in pages that together are one consistent list', async () => {
      const label = name('page');
      const labels = { run: label };
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((each) => `${label}-${each}`);
      for (const each of names) await subject.api.create(configMapType, configMapIn(subject, each, { labels }));
      const options: ListOptions = { namespace: subject.namespace, labelSelector: `run=${label}`, limit: 3 };
      const first = await subject.api.list(configMapType, options);
      expect(first.items.map(nameOf)).toEqual(names.slice(0, 3));
      expect(first.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      await subject.api.create(configMapType, configMapIn(subject, `${label}-late`, { labels }));
      await subject.api.delete(configMapType, key(`${label}-e`));
      const second = await subject.api.list(configMapType, { ...options, continue: first.continue ?? '' });
      const third = await subject.api.list(configMapType, { ...options, continue: second.continue ?? '' });
      expect([...second.items, ...third.items].map(nameOf)).toEqual(names.slice(3));
      expect([second.resourceVersion, third.resourceVersion]).toEqual([first.resourceVersion, first.resourceVersion]);
      expect(third.continue).toBeUndefined();
    });

    it('lists metadata only on request, with the kind of the objects', async () => {
      const named = name('metadata');
      const labels = { run: named };
      await subject.api.create(configMapType, configMapIn(subject, named, { labels, data: { secret: 'stays' } }));
      const { items } = await subject.api.list(configMapType, {
        namespace: subject.namespace,
        labelSelector: `run=${named}`,
        metadataOnly: true,
      });
      const uid = expect.stringMatching(/^[0-9a-f-]{36}$/);
      expect(items).toEqual([
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: expect.objectContaining({ name: named, labels, uid }) },
      ]);
    });

    it('returns 410 for a list whose version is gone', async ({ skip }) => {
      const { compact } = subject;
      if (compact === undefined) return skip('the history of this server cannot be compacted at will');
      for (const each of ['a', 'b'])
        await subject.api.create(configMapType, configMapIn(subject, name(`gone-${each}`)));
      const first = await subject.api.list(configMapType, { namespace: subject.namespace, limit: 1 });
      await subject.api.create(configMapType, configMapIn(subject, name('gone-c')));
      await compact();
      const rest = subject.api.list(configMapType, {
        namespace: subject.namespace,
        limit: 1,
        continue: first.continue ?? '',
      });
      expect(await errorCodeOf(rest)).toBe('KUBE_GONE');
    });

    it('continues after the last object when the version of a list is gone', async ({ skip }) => {
      const { compact } = subject;
      if (compact === undefined) return skip('the history of this server cannot be compacted at will');
      const run = name('go-on');
      const make = (each: string) =>
        subject.api.create(configMapType, configMapIn(subject, `${run}-${each}`, { labels: { run } }));
      for (const each of ['a', 'c', 'e']) await make(each);
      const options = { namespace: subject.namespace, labelSelector: `run=${run}`, limit: 1 };
      const first = await subject.api.list(configMapType, options);
      for (const each of ['0', 'd']) await make(each);
      await subject.api.delete(configMapType, key(`${run}-c`));
      await compact();
      const next = await subject.api
        .list(configMapType, { ...options, continue: first.continue ?? '' })
        .then(() => undefined, continueAfterExpiry);
      const rest = await subject.api.list(configMapType, { ...options, limit: 10, continue: next ?? '' });
      // Without a consistent version, and without the objects of earlier pages.
      expect([...first.items, ...rest.items].map(nameOf)).toEqual(['a', 'd', 'e'].map((each) => `${run}-${each}`));
      expect(rest.continue).toBeUndefined();
    });

    it("rejects a page that exceeds the caller's limit", async () => {
      const run = name('long');
      const data = { text: 'x'.repeat(5_000) };
      for (const each of ['a', 'b'])
        await subject.api.create(configMapType, configMapIn(subject, `${run}-${each}`, { labels: { run }, data }));
      const options = { namespace: subject.namespace, labelSelector: `run=${run}`, bytesMax: 9_000 };
      expect(await errorCodeOf(subject.api.list(configMapType, options))).toBe('KUBE_BAD_ANSWER');
      expect((await subject.api.list(configMapType, { ...options, limit: 1 })).items).toHaveLength(1);
    });

    it('reports the number of remaining objects, except with a selector', async () => {
      const run = name('left');
      for (const each of ['a', 'b', 'c'])
        await subject.api.create(configMapType, configMapIn(subject, `${run}-${each}`, { labels: { run } }));
      const all = await subject.api.list(configMapType, { namespace: subject.namespace });
      const one = await subject.api.list(configMapType, { namespace: subject.namespace, limit: 1 });
      expect(one.remaining).toBe(all.items.length - 1);
      expect(all.remaining).toBeUndefined();
      const options = { namespace: subject.namespace, labelSelector: `run=${run}`, limit: 1 };
      expect((await subject.api.list(configMapType, options)).remaining).toBeUndefined();
    });

    it('selects by labels in every form of the API', async () => {
      const run = name('select');
      const make = (each: string, labels: Record<string, string>) =>
        subject.api.create(configMapType, configMapIn(subject, `${run}-${each}`, { labels: { ...labels, run } }));
      await make('a', { color: 'red', size: 's' });
      await make('b', { color: 'blue' });
      await make('c', {});
      const chosen = async (selector: string) => {
        const labelSelector = `run=${run},${selector}`;
        const { items } = await subject.api.list(configMapType, { namespace: subject.namespace, labelSelector });
        return items.map((item) => nameOf(item).slice(run.length + 1)).join('');
      };
      expect(await chosen('color=red')).toBe('a');
      expect(await chosen('color!=red')).toBe('bc');
      expect(await chosen('color in (red,blue)')).toBe('ab');
      expect(await chosen('color notin (red)')).toBe('bc');
      expect(await chosen('color')).toBe('ab');
      expect(await chosen('!color')).toBe('c');
      expect(await chosen('color,size=s')).toBe('a');
    });

    it('selects by fields, and rejects an unsupported field', async () => {
      const [a, b] = [name('field'), name('field')];
      for (const each of [a, b]) await subject.api.create(configMapType, configMapIn(subject, each));
      const byName = await subject.api.list(configMapType, {
        namespace: subject.namespace,
        fieldSelector: `metadata.name=${a}`,
      });
      expect(byName.items.map(nameOf)).toEqual([a]);
      const wrong = subject.api.list(configMapType, { namespace: subject.namespace, fieldSelector: 'data.color=red' });
      expect(await errorCodeOf(wrong)).toBe('KUBE_BAD_REQUEST');
    });

    it('selects Events by their object, and Secrets by type', async () => {
      const about = name('about');
      for (const reason of ['Data-Path-Started', 'Data-Path-Stopped']) {
        await subject.api.create(eventType, eventAbout(subject, about, reason));
      }
      const other = eventAbout(subject, name('other'), 'Data-Path-Started');
      await subject.api.create(eventType, other);
      const elsewhere = { ...other, involvedObject: { ...other.involvedObject, namespace: 'kube-system' } };
      expect(await errorCodeOf(subject.api.create(eventType, elsewhere))).not.toBe('none');
      const events = await subject.api.list<CoreEvent>(eventType, {
        namespace: subject.namespace,
        fieldSelector: `involvedObject.kind=ConfigMap,involvedObject.name=${about}`,
      });
      expect(events.items.map((event) => event.reason).sort()).toEqual(['Data-Path-Started', 'Data-Path-Stopped']);

      const secret: Secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: key(name('typed')),
        type: `lateen.dev/${about}`,
      };
      await subject.api.create(secretType, secret);
      const secrets = await subject.api.list(secretType, {
        namespace: subject.namespace,
        fieldSelector: `type=lateen.dev/${about}`,
      });
      expect(secrets.items.map(nameOf)).toEqual([secret.metadata.name]);
    });

    it('lists all namespaces when none is named', async () => {
      const a = name('everywhere');
      await subject.api.create(configMapType, configMapIn(subject, a));
      const { items } = await subject.api.list<ConfigMap>(configMapType, { fieldSelector: `metadata.name=${a}` });
      expect(items.map((item) => item.metadata.namespace)).toEqual([subject.namespace]);
    });
  });
}

function eventAbout(subject: ConformanceSubject, about: string, reason: string): CoreEvent {
  const { namespace } = subject;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: subject.name('event') },
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: about, uid: 'no-matter' },
    reason,
    message: 'from the conformance suite',
    type: 'Normal',
    source: { component: 'conformance' },
    count: 1,
    firstTimestamp: '2030-01-01T00:00:00Z',
    lastTimestamp: '2030-01-01T00:00:00Z',
  };
}
