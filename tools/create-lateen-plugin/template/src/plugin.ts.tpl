import { definePlugin } from '@lateen/plugin';

export const plugin = definePlugin({
  name: '{{domain}}/{{name}}',
  backupItemActions: {
    '{{domain}}/mark': {
      appliesTo: { includedResources: ['configmaps'] },
      execute({ item, backup }, { log }) {
        log.info({ configMap: item.metadata.name }, 'marked');
        item.metadata.annotations = { ...item.metadata.annotations, '{{domain}}/backup': backup.metadata.name ?? '' };
        return { item };
      },
    },
  },
});
