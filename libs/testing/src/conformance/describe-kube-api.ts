import { afterAll, beforeAll, describe } from 'vitest';
import { accessReviewTests } from './access-reviews.ts';
import { conformanceSubject, hookTimeoutMs, type SetUp } from './conformance-subject.ts';
import { customKinds } from './custom-kinds.ts';
import { customResourceTests } from './custom-resources.ts';
import { deletingTests } from './deleting.ts';
import { immutableFieldTests } from './immutable-fields.ts';
import { impossibleKeyTests } from './impossible-keys.ts';
import { newObjectTests } from './new-objects.ts';
import { patchingTests } from './patching.ts';
import { readingTests } from './reading.ts';
import { watchingTests } from './watching.ts';
import { writingTests } from './writing.ts';

/**
 * The conformance suite of KubeApi, based on the documented behaviour of the Kubernetes API. The fake cluster, the fake
 * over HTTP and a real kube-apiserver pass it. Uses objects of many built-in kinds and its own custom kinds; needs no kubelet and no controller.
 */
export function describeKubeApi(name: string, setUp: SetUp): void {
  describe(`KubeApi: ${name}`, () => {
    const subject = conformanceSubject(setUp);
    const kinds = customKinds();
    beforeAll(() => kinds.create(subject), hookTimeoutMs);
    afterAll(() => kinds.remove(subject.api), hookTimeoutMs);
    readingTests(subject);
    writingTests(subject);
    patchingTests(subject);
    deletingTests(subject);
    impossibleKeyTests(subject);
    immutableFieldTests(subject);
    newObjectTests(subject);
    accessReviewTests(subject);
    customResourceTests(subject, kinds);
    watchingTests(subject, kinds.plain);
  });
}
