import { aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { podResourcesFor } from './choose-pod-resources.ts';

const global = { limits: { memory: '1Gi' } };
const ofClass = { limits: { memory: '2Gi' } };
const settings = { podResources: global, podResourcesPerStorageClass: { fast: ofClass, best: {} } };
const claimWith = (annotation: string) =>
  aPersistentVolumeClaim({ annotations: { 'lateen.dev/pod-resources': annotation } });

describe('the resources of a hosting pod', () => {
  it.each([
    ['no setting', {}, undefined, 'fast', undefined],
    ['of the installation', settings, undefined, 'slow', global],
    ['of the installation for a claim without a class', settings, undefined, undefined, global],
    ['class named like an Object property', settings, undefined, 'constructor', global],
    ['the class overrides the installation', settings, undefined, 'fast', ofClass],
    ['a class with best effort', settings, undefined, 'best', undefined],
    ['the claim overrides the class', settings, '{"cpuLimit":"1"}', 'best', { limits: { cpu: '1' } }],
    ['a claim with best effort, like its class', settings, '{}', 'best', undefined],
  ])('%s', (_, given, annotation, storageClass, resources) => {
    const claim = annotation === undefined ? aPersistentVolumeClaim() : claimWith(annotation);
    expect(podResourcesFor(given, claim, storageClass)).toEqual({ resources });
  });
  it.each([
    ['{"cpuLimit":"lots"}', 'cpuLimit "lots" is not a quantity'],
    ['no json', '"no json" is not an object'],
    ['', '"" is not an object'],
  ])('annotation %j is ignored and reported', (annotation, problem) => {
    const chosen = podResourcesFor(settings, claimWith(annotation), 'fast');
    expect(chosen.resources).toEqual(ofClass);
    expect(chosen.remark).toContain('lateen.dev/pod-resources of PersistentVolumeClaim app/data is ignored');
    expect(chosen.remark).toContain(problem);
  });
  it('an unknown key of the annotation is reported', () => {
    const chosen = podResourcesFor(settings, claimWith('{"cpuLimits":"1","cpuLimit":"2"}'), 'best');
    expect(chosen.resources).toEqual({ limits: { cpu: '2' } });
    expect(chosen.remark).toMatch(/app\/data has unknown keys: cpuLimits$/);
  });
  it('an annotation above the limit is reduced, which is reported', () => {
    const chosen = podResourcesFor(
      { podResourcesMax: { memory: '2Gi' } },
      claimWith('{"memoryLimit":"1Ti","x":1}'),
      'a',
    );
    expect(chosen.resources).toEqual({ limits: { memory: '2Gi' } });
    expect(chosen.remark).toMatch(
      /app\/data asks for more than podResourcesMax .* allows: limits.memory "1Ti" is "2Gi"; it has unknown keys: x$/,
    );
  });
  it('without a claim, no claim setting applies', () => {
    expect(podResourcesFor(settings, undefined, 'fast')).toEqual({ resources: ofClass });
  });
});
