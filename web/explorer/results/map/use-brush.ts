/** Chooses circles of a map with the pointer: one by a click, several by a rectangle. */
import { type PointerEvent, type RefObject, useState } from 'react'

interface Rectangle {
  left: number
  top: number
  right: number
  bottom: number
}

/** A click moves the pointer by fewer pixels. */
const MIN_SIZE = 5

interface Brush {
  /** The rectangle that is drawn, in pixels of the frame. */
  rectangle: Rectangle | undefined
  handlers: Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp', (event: PointerEvent) => void>
}

export function useBrush(
  frame: RefObject<HTMLElement | null>,
  onChoose: (indexes: number[], isRectangle: boolean) => void,
): Brush {
  const [start, setStart] = useState<[number, number]>()
  const [rectangle, setRectangle] = useState<Rectangle>()
  const locate = (event: PointerEvent): [number, number] => {
    const { left, top } = frame.current!.getBoundingClientRect()
    return [event.clientX - left, event.clientY - top]
  }
  const finish = (event: PointerEvent) => {
    if (!start) return
    const circles = [...(frame.current?.querySelectorAll<SVGElement>('circle') ?? [])]
    const index = (circle: SVGElement) => Number(circle.dataset.index)
    if (rectangle) {
      const [x, y] = locate(event)
      const { left, top } = frame.current!.getBoundingClientRect()
      const area = spread(start, [x, y])
      const isInside = (circle: SVGElement) => {
        const box = circle.getBoundingClientRect()
        const [cx, cy] = [(box.left + box.right) / 2 - left, (box.top + box.bottom) / 2 - top]
        return cx >= area.left && cx <= area.right && cy >= area.top && cy <= area.bottom
      }
      onChoose(circles.filter(isInside).map(index), true)
    } else {
      const circle = circles.find(element => element === document.elementFromPoint(event.clientX, event.clientY))
      if (circle) onChoose([index(circle)], false)
    }
    setStart(undefined)
    setRectangle(undefined)
  }
  return {
    rectangle,
    handlers: {
      onPointerDown: event => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setStart(locate(event))
      },
      onPointerMove: event => {
        if (!start) return
        const area = spread(start, locate(event))
        if (rectangle || Math.max(area.right - area.left, area.bottom - area.top) >= MIN_SIZE) setRectangle(area)
      },
      onPointerUp: finish,
    },
  }
}

const spread = ([x1, y1]: [number, number], [x2, y2]: [number, number]): Rectangle => ({
  left: Math.min(x1, x2),
  top: Math.min(y1, y2),
  right: Math.max(x1, x2),
  bottom: Math.max(y1, y2),
})
