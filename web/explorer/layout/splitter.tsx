/** A separator that sets the size of the pane before it, with the pointer or the arrow keys. The browser stores the size. */
import { type KeyboardEvent, type PointerEvent, useEffect, useState } from 'react'

interface Properties {
  label: string
  /** The custom property that has the size, as a percentage of the container. */
  property: string
  initial: number
  min: number
  max: number
  /** The custom property of the pane further ahead, whose size is subtracted from the position. */
  after?: string
  isHorizontal?: boolean
}

const STEP = 2

const storageName = (property: string): string => `explorer:${property.slice(2)}`

export function Splitter({ label, property, initial, min, max, after, isHorizontal = false }: Properties) {
  const [size, setSize] = useState(() => Number(localStorage.getItem(storageName(property))) || initial)
  useEffect(() => {
    document.documentElement.style.setProperty(property, `${size}%`)
    if (size !== initial) localStorage.setItem(storageName(property), String(size))
  }, [property, size, initial])
  const resize = (value: number) => setSize(Math.round(Math.min(max, Math.max(min, value))))

  const drag = (event: PointerEvent<HTMLHRElement>) => {
    const handle = event.currentTarget
    if (!handle.hasPointerCapture(event.pointerId)) return
    const { left, top, width, height } = handle.parentElement!.getBoundingClientRect()
    const share = isHorizontal ? (event.clientY - top) / height : (event.clientX - left) / width
    const before = after ? Number.parseFloat(document.documentElement.style.getPropertyValue(after)) : 0
    resize(share * 100 - before)
  }
  const step = (event: KeyboardEvent) => {
    const steps = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }
    const difference = steps[event.key as keyof typeof steps]
    if (difference === undefined) return
    event.preventDefault()
    resize(size + difference)
  }
  return (
    <hr
      className={isHorizontal ? 'splitter horizontal' : 'splitter'}
      aria-label={label}
      aria-orientation={isHorizontal ? 'horizontal' : 'vertical'}
      aria-valuenow={size}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onKeyDown={step}
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDoubleClick={() => setSize(initial)}
    />
  )
}
