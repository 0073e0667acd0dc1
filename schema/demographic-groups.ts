/** The groups of demographics, in the order of every list and of the stored columns. */

export const GENDERS = ['male', 'female', 'unknown'] as const

export const AGE_BANDS = ['12-17', '18-24', '25-34', '35-44', '45-54', '55-64', '65+', 'unknown'] as const
