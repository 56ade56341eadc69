import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answers, html, refuses } from './behaviours.ts';
import { configMap, configMaps, type FaultWorld, faultWorld, type MakeFaultApi } from './fault-harness.ts';

export function describeAnswerFaults(makeApi: MakeFaultApi): void {
  describe('invalid responses', () => {
    let world: FaultWorld;
    beforeEach(async () => {
      world = await faultWorld(makeApi);
    });
    afterEach(() => world.end());
    const get = () => world.api.get(configMaps, { namespace: 'ns', name: 'a' });

    it.each([
      ['a web page instead of an object', html(200)],
      ['a web page instead of a status', html(302)],
      ['truncated JSON', answers(200, '{"kind":"ConfigMap","metadata":{')],
      ['nothing', answers(200, '')],
    ])('%s is a bad answer, and the error names the server', async (_what, behaviour) => {
      world.server.next(behaviour);
      const error = await world.failure(get());
      expect(error.code).toBe('KUBE_BAD_ANSWER');
      expect(error.message).toContain(`cannot get configmaps ns/a: ${world.server.url}`);
      expect(error.nextStep).toContain('Check that the address leads to the API server');
    });

    it("does not report a proxy's 404 as a missing object", async () => {
      world.server.next(html(404));
      expect((await world.failure(get())).code).toBe('KUBE_BAD_ANSWER');
    });

    it('reports the plain 404 of the API server as a missing resource type', async () => {
      world.server.next(answers(404, '404 page not found\n', { 'content-type': 'text/plain' }));
      const error = await world.failure(get());
      expect(error.code).toBe('KUBE_NOT_FOUND');
      expect(error.nextStep).toContain('CustomResourceDefinition');
    });

    it('rejects a response above the size limit', async () => {
      world.server.next(answers(200, configMap('a', { data: { x: 'x'.repeat(300 * 1024) } })));
      expect(await world.failure(get())).toMatchObject({ code: 'KUBE_BAD_ANSWER', nextStep: 'Ask for smaller pages' });
    });

    it('rejects a list without list metadata', async () => {
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
    ])('maps %i %s to %s with the message of the server', async (code, reason, expected) => {
      world.server.next(refuses(code, reason, { message: 'what the server says' }));
      const error = await world.failure(get());
      expect(error).toMatchObject({
        code: expected,
        message: 'what the server says',
        details: { httpStatus: code, reason },
      });
    });

    it('names the missing permission', async () => {
      world.server.next(refuses(403, 'Forbidden'));
      expect((await world.failure(get())).nextStep).toContain('Grant the right to get configmaps ns/a');
    });

    it('does not report a rejection by admission as a missing permission', async () => {
      const message = 'pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1';
      world.server.next(refuses(403, 'Forbidden', { message }));
      expect((await world.failure(get())).nextStep).toBeUndefined();
    });
  });
}
