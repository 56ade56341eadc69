import { aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { podResourcesFor } from './choose-pod-resources.ts';

const global = { limits: { memory: '1Gi' } };
const ofClass = { limits: { memory: '2Gi' } };
const settings = { podResources: global, podResourcesPerStorageClass: { fast: ofClass, best: {} } };
const claimWith = (annotation: string) =>
  aPersistentVolumeClaim({ annotations: { 'lateen.dev/pod-resources': annotation } });

describe('the resources of one volume\u2019s hosting pod', () => {
  it.each([
    ['no setting', {}, undefined, 'fast', undefined],
    ['the installation\u2019s', settings, undefined, 'slow', global],
    ['the installation\u2019s for a claim without a class', settings, undefined, undefined, global],
    ['a class called like a property of every object', settings, undefined, 'constructor', global],
    ['the class\u2019s before the installation\u2019s', settings, undefined, 'fast', ofClass],
    ['a class that wants best effort', settings, undefined, 'best', undefined],
    ['the claim\u2019s before the class\u2019s', settings, '{"cpuLimit":"1"}', 'best', { limits: { cpu: '1' } }],
    ['a claim that wants best effort, as its class has it', settings, '{}', 'best', undefined],
  ])('%s', (_, given, annotation, storageClass, resources) => {
    const claim = annotation === undefined ? aPersistentVolumeClaim() : claimWith(annotation);
    expect(podResourcesFor(given, claim, storageClass)).toEqual({ resources });
  });
  it.each([
    ['{"cpuLimit":"lots"}', 'cpuLimit "lots" is not a quantity'],
    ['no json', '"no json" is not an object'],
    ['', '"" is not an object'],
  ])('annotation %j is passed over, and named', (annotation, problem) => {
    const chosen = podResourcesFor(settings, claimWith(annotation), 'fast');
    expect(chosen.resources).toEqual(ofClass);
    expect(chosen.remark).toContain('lateen.dev/pod-resources of PersistentVolumeClaim app/data is ignored');
    expect(chosen.remark).toContain(problem);
  });
  it('an unknown key of the annotation is named', () => {
    const chosen = podResourcesFor(settings, claimWith('{"cpuLimits":"1","cpuLimit":"2"}'), 'best');
    expect(chosen.resources).toEqual({ limits: { cpu: '2' } });
    expect(chosen.remark).toMatch(/app\/data has unknown keys: cpuLimits$/);
  });
  it('an annotation that asks for too much gets less, and that is said', () => {
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
  it('a claim that is gone says nothing', () => {
    expect(podResourcesFor(settings, undefined, 'fast')).toEqual({ resources: ofClass });
  });
});
