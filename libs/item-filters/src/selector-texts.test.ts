import { configMapType, type LabelSelector } from '@lateen/api-types';
import { labelTest, parseSelector, selectorText } from '@lateen/kube';
import { aConfigMap, fakeCluster } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const keys = ['a', 'b', 'example.com/team'];
const values = ['', '1', '2', 'x.y-z'];
const key = fc.constantFrom(...keys);
const value = fc.constantFrom(...values);
const labels = fc.dictionary(key, value, { maxKeys: 3 });

const requirement = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.uniqueArray(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const selector: fc.Arbitrary<LabelSelector> = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 3 }) },
  { requiredKeys: [] },
);

describe('a selector and its text', () => {
  it('select the same objects: labelTest with the selector, the API server with the text', async () => {
    const objects = fc.array(labels, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(selector, objects, async (chosen, labelled) => {
        const configMaps = labelled.map((own, index) =>
          aConfigMap({ name: `c${index}`, namespace: 'shop', labels: own }),
        );
        const api = fakeCluster({ objects: configMaps });
        const { signal } = new AbortController();
        const { items } = await api.list(configMapType, {
          namespace: 'shop',
          labelSelector: selectorText(chosen),
          signal,
        });
        const ours = configMaps.filter(({ metadata }) => labelTest(chosen)(metadata.labels));
        expect(items.map(({ metadata }) => metadata.name)).toEqual(ours.map(({ metadata }) => metadata.name));
      }),
      { numRuns: 300 },
    );
  });

  it('have the same meaning after the text is parsed', () => {
    fc.assert(
      fc.property(selector, labels, (chosen, own) => {
        expect(labelTest(parseSelector(selectorText(chosen)))(own)).toBe(labelTest(chosen)(own));
      }),
    );
  });
});
