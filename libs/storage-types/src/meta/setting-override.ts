/** What a volume says about something that a setting decides for all: `ignored` takes the setting. */
export const settingOverrides = ['ignored', 'enabled', 'disabled'] as const;
export type SettingOverride = (typeof settingOverrides)[number];
