import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answers, html, refuses } from './behaviours.ts';
import { configMap, configMaps, type FaultWorld, faultWorld, type MakeFaultApi } from './fault-harness.ts';

export function describeAnswerFaults(makeApi: MakeFaultApi): void {
  describe('answers that are not what the API promises', () => {
    let world: FaultWorld;
    beforeEach(async () => {
      world = await faultWorld(makeApi);
    });
    afterEach(() => world.end());
    const get = () => world.api.get(configMaps, { namespace: 'ns', name: 'a' });

    it.each([
      ['a page instead of an object', html(200)],
      ['a page instead of a refusal', html(302)],
      ['torn JSON', answers(200, '{"kind":"ConfigMap","metadata":{')],
      ['nothing', answers(200, '')],
    ])('%s is a bad answer that names the server', async (_what, behaviour) => {
      world.server.next(behaviour);
      const error = await world.failure(get());
      expect(error.code).toBe('KUBE_BAD_ANSWER');
      expect(error.message).toContain(`cannot get configmaps ns/a: ${world.server.url}`);
      expect(error.nextStep).toContain('Check that the address leads to the API server');
    });

    it("does not take a proxy's 404 for a missing object", async () => {
      world.server.next(html(404));
      expect((await world.failure(get())).code).toBe('KUBE_BAD_ANSWER');
    });

    it('takes the plain 404 of the API server for a missing resource type', async () => {
      world.server.next(answers(404, '404 page not found\n', { 'content-type': 'text/plain' }));
      const error = await world.failure(get());
      expect(error.code).toBe('KUBE_NOT_FOUND');
      expect(error.nextStep).toContain('CustomResourceDefinition');
    });

    it('refuses an answer that is longer than its limit', async () => {
      world.server.next(answers(200, configMap('a', { data: { x: 'x'.repeat(300 * 1024) } })));
      expect(await world.failure(get())).toMatchObject({ code: 'KUBE_BAD_ANSWER', nextStep: 'Ask for smaller pages' });
    });

    it('refuses a list without list metadata', async () => {
      world.server.next(answers(200, { kind: 'ConfigMap' }));
      expect((await world.failure(world.api.list(configMaps))).code).toBe('KUBE_BAD_ANSWER');
    });

    it.each([
      [400, 'BadRequest', 'KUBE_BAD_REQUEST'],
      [403, 'Forbidden', 'KUBE_FORBIDDEN'],
      [404, 'NotFound', 'KUBE_NOT_FOUND'],
      [405, 'MethodNotAllowed', 'KUBE_METHOD_NOT_ALLOWED'],
      [409, 'AlreadyExists', 'KUBE_ALREADY_EXISTS'],
      [409, 'Conflict', 'KUBE_CONFLICT'],
      [410, 'Expired', 'KUBE_GONE'],
      [422, 'Invalid', 'KUBE_INVALID'],
    ])('%i %s is %s with the message of the server', async (code, reason, expected) => {
      world.server.next(refuses(code, reason, { message: 'what the server says' }));
      const error = await world.failure(get());
      expect(error).toMatchObject({
        code: expected,
        message: 'what the server says',
        details: { httpStatus: code, reason },
      });
    });

    it('names the right that is missing', async () => {
      world.server.next(refuses(403, 'Forbidden'));
      expect((await world.failure(get())).nextStep).toContain('Grant the right to get configmaps ns/a');
    });

    it('does not take an admission for a missing right', async () => {
      const message = 'pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1';
      world.server.next(refuses(403, 'Forbidden', { message }));
      expect((await world.failure(get())).nextStep).toBeUndefined();
    });
  });
}
