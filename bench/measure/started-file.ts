/** The file that a profiled service writes when it has started a profile. */
export const startedFile = (profile: string): string => `${profile}.started`
