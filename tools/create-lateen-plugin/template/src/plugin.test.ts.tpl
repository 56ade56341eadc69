import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aConfigMap, testPlugin } from '@lateen/plugin/testing';
import { plugin } from './plugin.ts';

test('a ConfigMap gets the name of the backup', async () => {
  const tested = await testPlugin(plugin);
  const { item } = await tested
    .backupItemAction('{{domain}}/mark')
    .execute(aConfigMap({ namespace: 'shop', name: 'settings' }), { backup: { metadata: { name: 'nightly' } } });
  assert.deepEqual(item.metadata.annotations, { '{{domain}}/backup': 'nightly' });
});
