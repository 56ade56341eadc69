import { AppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { notFound, refused, toErrorBody } from '../errors/error-body.ts';
import { collection } from './collection.ts';
import { linkBase } from './link-base.ts';
import { resource } from './resource.ts';

describe('linkBase', () => {
  const path = '/v1/volumes';
  it.each([
    [{ host: 'longhorn-backend:9500' }, '', 'http://longhorn-backend:9500'],
    [{ host: 'a', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ui.example.com' }, '', 'https://ui.example.com'],
    [{ host: 'a', 'x-forwarded-host': 'ui', 'x-forwarded-port': '8080' }, '', 'http://ui:8080'],
    [
      { host: 'a', 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'ui', 'x-forwarded-port': '443' },
      '',
      'https://ui',
    ],
    [{ host: 'a', 'x-forwarded-host': 'ui' }, 'https://set.example.com', 'https://set.example.com'],
    [
      { host: 'a', 'x-api-request-url': 'https://p.example.com/proxy/v1/volumes?x=1' },
      'https://set',
      'https://p.example.com/proxy',
    ],
    [{ host: 'a', 'x-api-request-url': 'no url' }, '', 'http://a'],
  ])('of %o with manager-url %j is the last', (headers, managerUrl, expected) => {
    expect(linkBase({ path, headers, managerUrl })).toBe(expected);
  });
});

describe('resource', () => {
  const one = (id: string, type = 'volume') => resource({ type, id, fields: { name: id, bogus: 1 } }, 'http://a');
  it('has the links, actions and fields of its schema, and no other fields', () => {
    const parts = { type: 'engineImage', id: 'ei-1', fields: { name: 'ei-1', x: 1 }, actions: ['go'] };
    expect(resource(parts, 'http://a')).toEqual({
      id: 'ei-1',
      type: 'engineImage',
      name: 'ei-1',
      links: { self: 'http://a/v1/engineimages/ei-1' },
      actions: { go: 'http://a/v1/engineimages/ei-1?action=go' },
    });
  });
  it('is in a collection sorted by name, which offers creation only for volumes', () => {
    expect(collection('volume', [one('b'), one('a')], 'http://a')).toEqual({
      type: 'collection',
      resourceType: 'volume',
      links: { self: 'http://a/v1/volumes' },
      data: [one('a'), one('b')],
      createTypes: { volume: 'http://a/v1/volumes' },
    });
    expect(collection('node', [], 'http://a')).not.toHaveProperty('createTypes');
  });
  it('keeps the order of snapshots as read', () => {
    const data = [one('b', 'snapshot'), one('a', 'snapshot')];
    expect(collection('snapshot', data, 'http://a').data).toEqual(data);
  });
});

describe('toErrorBody', () => {
  const url = 'http://a/v1/volumes/x';
  it('returns 500 with a JSON message for a rejected request', () => {
    expect(toErrorBody(refused('replica count value 21 must between 1 to 20'), url)).toEqual({
      status: 500,
      contentType: 'text/plain',
      body: {
        type: 'error',
        status: 500,
        code: 'Internal Server Error',
        message: 'replica count value 21 must between 1 to 20',
        detail: '',
        links: { self: url },
        actions: {},
      },
    });
  });
  it('returns 404 when the root cause is a missing object', () => {
    const error = new AppError('STEP_FAILED', 'cannot read volume x', { cause: notFound('volume x is not there') });
    expect(toErrorBody(error, url)).toMatchObject({
      status: 404,
      body: { code: 'Not Found', message: 'cannot read volume x' },
    });
  });
  it('handles a value that is not an error', () => expect(toErrorBody('odd', url).body.message).toBe('odd'));
});
